"""The breaking kit: hostile trials of the headway tool, each with a seed."""
