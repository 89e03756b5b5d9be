"""``python -m flexmbs``: the command line."""

from flexmbs.app.cli.main import main

if __name__ == "__main__":
    main()
