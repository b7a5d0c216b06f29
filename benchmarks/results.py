"""Runs every benchmark and writes benchmarks/RESULTS.md: python benchmarks/results.py [names of data sets]

Takes about an hour; nothing else should run meanwhile. Every table is a script's own output. With $CESARO_CELLS a folder,
what is finished is kept there, and a script's output saved there as NAME.md is taken as it is.
"""

import os
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = [
    ("Time to accuracy and to a proof, hinge", "linear/time_to_accuracy.py", True),
    ("What a free intercept costs", "linear/intercept.py", True),
    ("Many classes at the defaults", "linear/many_classes.py", False),
    ("Many classes, log loss", "linear/many_classes.py --loss log_loss --alpha 1e-5 debian", False),
    ("Many classes, the model of LinearSVC", "linear/many_classes.py --like-linear-svc debian", False),
    ("Small tables: time against tol", "linear/small_tables.py", False),
    ("Other losses", "linear/other_losses.py", True),
    ("Lasso and L1 logistic regression", "linear/l1.py", False),
    ("Cost of an epoch", "linear/epoch_cost.py", True),
    ("Cross-validated path", "linear/path_cost.py", False),
    ("The certificate: is it true, is it tight", "linear/certificate.py", False),
    ("First fit in a fresh process", "linear/first_fit.py", False),
    ("Reading svmlight files", "data/parse.py", True),
    ("A step of the readable methods", "methods/overhead.py", False),
    ("A step of the PyTorch optimisers", "optim/step_cost.py", False),
]


def main():
    names = sys.argv[1:]
    parts = [
        "# Measurements\n\nWritten by `make bench`; CPU time, one thread, best of several, interleaved.\n"
        f"{date.today()}, {platform.machine()}, Python {platform.python_version()}.\n"
    ]
    for title, script, takes_names in SCRIPTS:
        print(script, file=sys.stderr)
        file, *options = script.split()
        kept = Path(os.environ.get("CESARO_CELLS", ".")) / f"{Path(file).stem}.md"
        if "CESARO_CELLS" in os.environ and kept.exists() and not options:
            output = kept.read_text()
        else:
            command = [sys.executable, HERE / file, *options, *(names if takes_names else [])]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        text = output.strip()
        if "|---" not in text and not text.startswith("- "):  # not Markdown
            text = f"```\n{text}\n```"
        parts.append(f"## {title}\n\n`python benchmarks/{script}`\n\n{text}\n")
    (HERE / "RESULTS.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
