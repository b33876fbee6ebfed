"use strict";
(() => {
  const panel = document.getElementById("panel");
  const hint = panel.cloneNode(true);
  let lit = [];
  let held = null; // the line that has the focus: shown again when the pointer leaves

  const show = (row) => {
    for (const old of lit) {
      old.classList.remove("kin", "own");
      old.setAttribute("aria-selected", "false");
    }
    lit = [];
    if (!row) {
      panel.replaceChildren(...hint.cloneNode(true).childNodes);
      return;
    }
    const moved = new Set([row.parentNode]);
    row.classList.add("own");
    row.setAttribute("aria-selected", "true");
    lit.push(row);
    for (const key of row.dataset.kin.split(" ")) {
      const kin = key && document.getElementById(key);
      if (!kin) continue;
      kin.classList.add("kin");
      kin.setAttribute("aria-selected", "true");
      lit.push(kin);
      if (!moved.has(kin.parentNode)) {
        moved.add(kin.parentNode);
        const list = kin.parentNode.getBoundingClientRect();
        const line = kin.getBoundingClientRect();
        if (line.top < list.top || line.bottom > list.bottom) {
          kin.parentNode.scrollTop += line.top - list.top - list.height / 3;
        }
      }
    }
    panel.replaceChildren();
    const shown = new Set();
    const order = [row, ...lit.filter((r) => r.id[0] === "k" && r !== row)];
    for (const each of order.slice(0, 12)) {
      const template = document.getElementById("d-" + each.id);
      if (template && !shown.has(each.id)) {
        shown.add(each.id);
        panel.append(template.content.cloneNode(true));
      }
    }
    panel.scrollTop = 0;
  };

  for (const list of document.querySelectorAll("ol")) {
    const rows = [...list.querySelectorAll("li[data-kin]")];
    if (!rows.length) continue;
    rows[0].tabIndex = 0;
    list.scrollTop = rows[0].offsetTop - list.offsetTop - 4;
    const rowOf = (event) => event.target.closest("li[data-kin]");
    list.addEventListener("mouseover", (event) => {
      const row = rowOf(event);
      if (row) show(row);
    });
    list.addEventListener("mouseleave", () => show(held));
    list.addEventListener("focusin", (event) => {
      const row = rowOf(event);
      if (!row) return;
      for (const other of rows) other.tabIndex = other === row ? 0 : -1;
      held = row;
      show(row);
    });
    list.addEventListener("click", (event) => {
      const row = rowOf(event);
      if (row) row.focus();
    });
    list.addEventListener("keydown", (event) => {
      const row = rowOf(event);
      if (!row) return;
      const at = rows.indexOf(row);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
      if (event.key === "Escape") {
        row.blur();
        held = null;
        show(null);
      } else if (to !== undefined && rows[to]) {
        event.preventDefault();
        rows[to].focus();
      }
    });
  }
})();
