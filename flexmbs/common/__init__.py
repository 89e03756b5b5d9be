"""What every package uses: errors, warnings, progress, files, folders."""
