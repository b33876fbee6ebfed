"""Schedules: from a program to statements in order, each in the region that needs it."""
