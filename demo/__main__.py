"""`python -m demo`: the command line of the demonstration."""

from demo.cli import app

if __name__ == "__main__":
    app(prog_name="python -m demo")
