"""Spark ML's MinHashLSH: the same words and shingles by its own transformers, then its similarity join.

Each of its hash tables has one value, and texts meet if they agree in one table: at a resemblance of 0.7 four tables find
99 % of the pairs. The join compares the hashed shingles of what met.
"""

import math

import common
from pyspark.ml import Pipeline
from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
from pyspark.sql import SparkSession, functions as F

RECALL = 0.99

run = common.arguments(__doc__)


def work(spark: SparkSession) -> dict[str, object]:
    texts = spark.read.parquet(run.corpus).select("id", "text")
    tables = math.ceil(math.log(1 - RECALL) / math.log(1 - run.threshold))
    steps = [
        RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\W+"),
        NGram(n=run.shingle, inputCol="words", outputCol="shingles"),
        HashingTF(inputCol="shingles", outputCol="features", numFeatures=1 << 24, binary=True),
    ]
    features = Pipeline(stages=steps).fit(texts).transform(texts).select("id", "features")
    # It refuses texts without a shingle.
    has_any = F.udf(lambda vector: vector.numNonzeros() > 0, "boolean")
    features = features.filter(has_any("features")).cache()
    model = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=tables, seed=1).fit(features)
    joined = model.approxSimilarityJoin(features, features, 1 - run.threshold, distCol="distance")
    pairs = joined.filter(F.col("datasetA.id") < F.col("datasetB.id"))
    pairs = pairs.select(F.col("datasetA.id").alias("a"), F.col("datasetB.id").alias("b"), (1 - F.col("distance")).alias("score"))
    pairs.write.mode("overwrite").parquet(run.output)
    return {"tool": "Spark ML MinHashLSH", "tables": tables, "pairs": spark.read.parquet(run.output).count()}


common.measure(run, work)
