"""Which devices are found, which one is chosen, and what users read when none fits."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from egad.codegen.devices import device, icd, probe, verdict
from egad.terms import store
from egad.terms.errors import DeviceError


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path))
    return tmp_path


class FakeDevice:
    def __init__(self, memory=0):
        self.global_mem_size = memory
        self.extensions = ""


def found(index, platform, name, kind):
    return device._Found(index, FakeDevice(), verdict.Identity(platform, name, "1.0", kind))


@pytest.fixture
def fakes(monkeypatch):
    """Three devices that exist nowhere, with fixed verdicts and no contexts."""
    listed = (
        found(0, "NVIDIA CUDA", "Old GPU", "gpu"),
        found(1, "Intel(R) OpenCL", "AMD EPYC", "cpu"),
        found(2, "Portable Computing Language", "cpu-znver3", "cpu"),
    )
    verdicts = {
        "Old GPU": verdict.Verdict(True),
        "AMD EPYC": verdict.Verdict(True, fp64=True, fp16=True),
        "cpu-znver3": verdict.Verdict(False, "a small float kernel does not compile or run"),
    }
    monkeypatch.delenv(device.VARIABLE, raising=False)
    monkeypatch.setattr(device, "_listed", lambda: listed)
    monkeypatch.setattr(device.icd, "register", lambda: None)
    monkeypatch.setattr(device.verdict, "of", lambda handle, who: verdicts[who.name])
    monkeypatch.setattr(device, "_context", lambda found, queue: (object(), object()))
    monkeypatch.setattr(device, "_HANDLES", {})
    device._chosen.cache_clear()
    yield listed
    device._chosen.cache_clear()


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (None, "Old GPU"),
        ("gpu", "Old GPU"),
        ("CPU", "AMD EPYC"),
        ("intel", "AMD EPYC"),
        ("OpenCL/amd", "AMD EPYC"),
        ("1", "AMD EPYC"),
        (1, "AMD EPYC"),
    ],
)
def test_spec_matches_index_kind_and_label(fakes, spec, name):
    assert device.choose(spec).info.name == name


def test_choice_passes_over_devices_without_the_precision(fakes):
    assert device.choose(fp64=True).info.name == "AMD EPYC"
    with pytest.raises(DeviceError) as error:
        device.choose("gpu", fp64=True)
    assert error.value.message == (
        "device='gpu' matches no usable OpenCL device; "
        "NVIDIA CUDA/Old GPU does not compute in double (fp64)"
    )


def test_environment_chooses_and_an_argument_overrides_it(fakes, monkeypatch):
    monkeypatch.setenv(device.VARIABLE, "intel")
    assert device.choose().info.name == "AMD EPYC"
    assert device.choose("gpu").info.name == "Old GPU"


LISTING = """\
  found:
    0: NVIDIA CUDA/Old GPU [gpu, driver 1.0]: usable (float)
    1: Intel(R) OpenCL/AMD EPYC [cpu, driver 1.0]: usable (float, double, half)
    2: Portable Computing Language/cpu-znver3 [cpu, driver 1.0]: refused: \
a small float kernel does not compile or run
  ask for a part of `platform/device`, `cpu`, `gpu` or an index"""


def test_environment_that_names_nothing_lists_what_was_found(fakes, monkeypatch):
    monkeypatch.setenv(device.VARIABLE, "quantum")
    with pytest.raises(DeviceError) as error:
        device.choose()
    head = "device='quantum' (from EGAD_DEVICE) matches no OpenCL device\n"
    assert str(error.value) == head + LISTING


def test_refused_device_says_why(fakes):
    with pytest.raises(DeviceError) as error:
        device.choose("pocl")
    assert str(error.value) == "device='pocl' matches no usable OpenCL device\n" + LISTING


def test_something_that_is_no_device(fakes):
    with pytest.raises(DeviceError, match=r"device=3\.5 does not name a device"):
        device.choose(3.5)


def test_device_info_and_handles_choose_themselves(fakes):
    infos = [item.info for item in fakes]
    chosen = device.choose(infos[1])
    assert chosen.info == infos[1]
    assert device.choose(chosen) is chosen
    assert device.choose("intel") is chosen


def test_no_device_at_all_gives_advice(monkeypatch):
    monkeypatch.delenv(device.VARIABLE, raising=False)
    monkeypatch.setattr(device, "_listed", lambda: ())
    monkeypatch.setattr(device.icd, "register", lambda: None)
    device._chosen.cache_clear()
    with pytest.raises(DeviceError) as error:
        device.choose()
    assert error.value.message == "no OpenCL device is installed"
    assert "pip install intel-opencl-rt intel-cmplr-lib-rt" in error.value.hint
    assert "NumPy reference" in device.describe_devices()


def test_runtime_that_is_installed_but_not_loaded_is_reported(monkeypatch):
    monkeypatch.setattr(device, "_listed", lambda: ())
    monkeypatch.setattr(device.icd, "register", lambda: "/lib/libintelocl.so")
    assert "/lib/libintelocl.so is installed but was not loaded" in device.describe_devices()


def test_order_does_not_depend_on_the_loader():
    def rank(platform, name, kind, memory=0):
        return device._rank(verdict.Identity(platform, name, "1", kind), FakeDevice(memory))

    best_first = [
        rank("NVIDIA CUDA", "H200", "gpu", 100),
        rank("Intel(R) OpenCL Graphics", "UHD", "gpu", 10),
        rank("Intel(R) OpenCL", "AMD EPYC", "cpu"),
        rank("Portable Computing Language", "cpu", "cpu"),
        rank("Clover", "llvmpipe", "cpu"),
        rank("Oclgrind", "Oclgrind Simulator", "cpu"),
    ]
    assert best_first == sorted(best_first)
    assert len(set(best_first)) == len(best_first)


# --- verdicts


WHO = verdict.Identity("P", "D", "1", "gpu")
GOOD = verdict.Verdict(True, fp64=True)


@pytest.fixture
def script(cache, tmp_path, monkeypatch):
    """Replace the probe's script by a text of one's own."""
    verdict._KNOWN.clear()

    def put(text):
        path = tmp_path / "script.py"
        path.write_text(text)
        monkeypatch.setattr(probe, "__file__", str(path))

    yield put
    verdict._KNOWN.clear()


def answer(**changes):
    row = {"usable": True, "reason": "", "fp64": True, "fp16": False, **changes}
    return f"print({probe.MARK + json.dumps(row)!r})"


def test_verdict_comes_from_the_child_and_stays_on_disk(script):
    script("print('noise of a driver')\n" + answer())
    assert verdict.of(None, WHO) == GOOD
    verdict._KNOWN.clear()
    script("raise SystemExit('must not run again')")
    assert verdict.of(None, WHO) == GOOD


def test_crashing_compiler_is_a_verdict(script):
    script("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    result = verdict.of(None, WHO)
    assert not result.usable
    assert result.reason == "its compiler or driver crashed in the probe (signal 11): no message"


def test_probe_without_end_is_stopped_and_not_remembered(script, monkeypatch):
    monkeypatch.setattr(verdict, "TIMEOUT", 0.2)
    script("import time; time.sleep(60)")
    assert verdict.of(None, WHO).reason == "its probe did not end within 0.2 s"
    verdict._KNOWN.clear()
    monkeypatch.setattr(verdict, "TIMEOUT", 60)
    script(answer())
    assert verdict.of(None, WHO) == GOOD


def test_bad_verdicts_are_tried_again_after_a_day(script, cache):
    script(answer(usable=False, reason="broken"))
    assert not verdict.of(None, WHO).usable
    verdict._KNOWN.clear()
    script(answer())
    assert not verdict.of(None, WHO).usable
    verdict._KNOWN.clear()
    file = cache / "devices" / f"{WHO.key}.json"
    row = json.loads(file.read_text())
    row["time"] = time.time() - 2 * verdict.RETRY
    file.write_text(json.dumps(row))
    assert verdict.of(None, WHO) == GOOD


@pytest.mark.parametrize(
    "damage", ["", "{", '{"time": 1}', '{"time": 1, "verdict": {"x": 1}}', "[]"]
)
def test_damaged_verdict_is_found_out_again(script, cache, damage):
    file = cache / "devices" / f"{WHO.key}.json"
    file.parent.mkdir()
    file.write_text(damage)
    script(answer())
    assert verdict.of(None, WHO) == GOOD


def test_cache_that_cannot_be_written(script, cache, monkeypatch):
    blocked = cache / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("EGAD_CACHE_DIR", str(blocked / "below"))
    script(answer())
    assert verdict.of(None, WHO) == GOOD


def test_identity_names_driver_and_cpu_features(monkeypatch):
    cpu = verdict.Identity("P", "D", "1", "cpu")
    before = cpu.key
    monkeypatch.setattr(verdict, "cpu_features", lambda: "another processor")
    assert cpu.key != before
    assert verdict.Identity("P", "D", "2", "gpu").key != WHO.key


def test_store_writes_whole_files_and_detects_damage(cache):
    path = cache / "a" / "b.bin"
    assert store.write_sealed(path, b"code")
    assert store.read_sealed(path) == b"code"
    path.write_bytes(path.read_bytes()[:-1])
    assert store.read_sealed(path) is None
    assert store.read_sealed(cache / "missing") is None
    assert [entry.name for entry in path.parent.iterdir()] == ["b.bin"]


def test_store_deletes_the_oldest(cache):
    for i in range(5):
        store.write(cache / "k" / str(i), b"x")
        os.utime(cache / "k" / str(i), (i, i))
    store.prune(cache / "k", 4)
    assert sorted(entry.name for entry in (cache / "k").iterdir()) == ["3", "4"]


# --- registration of the pip runtime


@pytest.fixture
def unset(cache, monkeypatch):
    for name in icd.USER_VARIABLES:
        monkeypatch.setenv(name, "")  # so that a registration is undone after the test
    icd.register.cache_clear()
    yield cache
    icd.register.cache_clear()


linux = pytest.mark.skipif(sys.platform != "linux", reason="the loader of Linux")


@linux
def test_registration_keeps_the_systems_runtimes(unset, tmp_path, monkeypatch):
    library, vendors = tmp_path / "libintelocl.so", tmp_path / "vendors"
    vendors.mkdir()
    (vendors / "nvidia.icd").write_text("libnvidia-opencl.so.1\n")
    monkeypatch.setattr(icd, "SYSTEM_DIRECTORY", vendors)
    monkeypatch.setattr(icd, "runtime_library", lambda: library)
    assert icd.register() == library
    chosen = os.environ["OPENCL_VENDOR_PATH"]
    assert chosen.startswith(str(unset))
    files = {path.name: path.read_text() for path in Path(chosen).iterdir()}
    assert files == {
        "nvidia.icd": "libnvidia-opencl.so.1\n",
        "egad-intel.icd": f"{library}\n",
    }


@linux
@pytest.mark.parametrize("variable", icd.USER_VARIABLES)
def test_users_loader_variables_are_respected(unset, monkeypatch, variable):
    monkeypatch.setenv(variable, "/somewhere")
    monkeypatch.setattr(icd, "runtime_library", lambda: pytest.fail("not asked"))
    assert icd.register() is None
    assert os.environ[variable] == "/somewhere"


@linux
def test_runtime_of_the_system_is_not_registered_twice(unset, tmp_path, monkeypatch):
    (tmp_path / "intel.icd").write_text("/opt/intel/lib/libintelocl.so\n")
    monkeypatch.setattr(icd, "SYSTEM_DIRECTORY", tmp_path)
    monkeypatch.setattr(icd, "runtime_library", lambda: tmp_path / "libintelocl.so")
    assert icd.register() is None
    assert not os.environ["OPENCL_VENDOR_PATH"]


@linux
def test_registration_without_a_cache_uses_a_temporary_directory(unset, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path / "file" / "below"))
    monkeypatch.setattr(icd, "SYSTEM_DIRECTORY", tmp_path / "none")
    monkeypatch.setattr(icd, "runtime_library", lambda: tmp_path / "libintelocl.so")
    assert icd.register()
    assert os.path.isfile(os.path.join(os.environ["OPENCL_VENDOR_PATH"], "egad-intel.icd"))


def test_nothing_installed_registers_nothing(unset, monkeypatch):
    monkeypatch.setattr(icd, "PACKAGE", "egad-no-such-distribution")
    assert icd.register() is None


# --- the devices of this machine


def usable():
    return [info for info in device.devices() if info.usable]


needs_device = pytest.mark.skipif(not usable(), reason="no OpenCL device on this machine")


@needs_device
def test_real_devices_are_described():
    for info in device.devices():
        assert info.label in device.describe_devices()
        assert info.usable == (not info.reason)


@needs_device
def test_probe_passes_in_process():
    chosen = device.choose()
    assert probe.check(chosen.cl_device)["usable"]


@needs_device
def test_pyopencl_devices_and_queues_are_wrapped():
    import pyopencl as cl

    chosen = device.choose()
    assert device.choose(chosen.cl_device) is device.choose(chosen.cl_device)
    context = cl.Context([chosen.cl_device])
    queue = cl.CommandQueue(context)
    wrapped = device.choose(queue)
    assert wrapped.queue is queue
    assert wrapped.context == context
    assert device.of_queue(queue) is wrapped


@needs_device
def test_process_without_any_runtime_says_so(tmp_path):
    code = (
        "from egad.codegen.devices import device\n"
        "from egad.terms.errors import DeviceError\n"
        "try: print(device.choose().info.platform)\n"
        "except DeviceError as error: print(error.message)\n"
    )
    env = {**os.environ, "OCL_ICD_VENDORS": str(tmp_path), "EGAD_CACHE_DIR": str(tmp_path)}
    env.pop(device.VARIABLE, None)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    # the loader shows the wheels of pocl and oclgrind whatever the environment says
    expected = ("no OpenCL device is installed", "Portable Computing Language", "Oclgrind")
    assert done.stdout.strip() in expected
