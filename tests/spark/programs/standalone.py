"""Counts a topic on a standalone cluster and tells which executors did, and where they have kafkars from.

Started as `python -m tests.spark.programs.standalone FOLDER JSON`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.spark import session


def main() -> None:
    folder, plan = Path(sys.argv[1]), json.loads(sys.argv[2])
    spark = session.start(folder, plan["conf"], master=plan["master"], names_python=plan["names_python"])
    frame = spark.read.format("kafkars").options(**plan["options"]).load()
    count, total = frame.selectExpr("count(*)", "sum(CAST(CAST(value AS STRING) AS LONG))").collect()[0]

    def tell(batches: Iterator[Any]) -> Iterator[Any]:
        import kafkars
        import pyarrow as pa

        for _ in batches:
            pass
        here = {"executor": os.getcwd(), "kafkars": kafkars.__file__}  # noqa: PTH109  the executor's folder
        yield pa.RecordBatch.from_pydict({"told": [json.dumps(here)]})

    told = [json.loads(row[0]) for row in frame.mapInArrow(tell, "told STRING").collect()]
    print(json.dumps({"count": count, "sum": total, "told": told}))
    spark.stop()


if __name__ == "__main__":
    main()
