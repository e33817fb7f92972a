"""`.venv/bin/python -m benches.compare`: run, print, write, draw."""

from __future__ import annotations

import compileall
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

import kafkars

from benches.compare import brokers, faces, jobs, options, plot, table, tls
from benches.compare.document import document, versions
from benches.compare.rounds import Case, WrongResultError, run_case


def main() -> int:
    chosen = options.parse(sys.argv[1:])
    cases: list[Case] = []
    wanted = jobs.named(chosen.jobs, (*jobs.JOBS, *faces.JOBS, *tls.JOBS))
    has_tls = any(job.tls for job in wanted)
    # As pip does where it installs a package, also where the environment says that imports shall not: workers would
    # compile what they import within what is measured.
    compileall.compile_dir(Path(kafkars.__file__).parent, quiet=2)
    with brokers.running(chosen.broker, chosen.kafka_version, tls=has_tls) as broker:
        print(
            f"broker: {broker.name}\nsettings: {chosen.settings}, partitions={chosen.partitions}, rounds={chosen.rounds}"
        )
        for job in wanted:
            for size in chosen.sizes:
                # Latency is that of single records; a codec adds nothing there.
                for codec in ["none"] if job.kind in {"latency", "connect"} else chosen.codecs:
                    try:
                        case = run_case(chosen, broker, job, size, codec)
                    except WrongResultError as error:
                        print(f"{job.name}, {size} B, {codec}: {error}", file=sys.stderr)
                        return 1
                    cases.append(case)
                    print("\n".join(table.lines(case, judged=not chosen.smoke)), flush=True)

    print(f"\nversions: {', '.join(versions(cases))}")
    base = chosen.out / datetime.now(timezone.utc).strftime("%Y-%m-%d-%H%M%S")
    base.parent.mkdir(parents=True, exist_ok=True)
    result = document(chosen, broker.name, cases)
    raw = base.with_suffix(".json")
    raw.write_text(json.dumps(result, indent=1) + "\n")
    for path in (raw, *plot.draw(result, base)):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
