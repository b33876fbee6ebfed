"""Devices: chosen, proved to compute right, built for, run and measured on."""
