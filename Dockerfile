# The image of every Airflow service in docker-compose.yaml: dependencies and the command `truecopy`; the code is mounted.
#
# From Python's own image, not from apache/airflow: that one brings some 600 packages pinned by another constraints
# file, and requirements.txt on top of it would be a third set that nobody has tested. Here the image holds exactly
# what the test suite runs with.
FROM python:3.11-slim-bookworm

# git: the handbook source and the ledger are repositories. curl: the health checks.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends curl git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 50000 --gid 0 --home-dir /opt/airflow --create-home airflow

COPY requirements.txt /tmp/requirements.txt
RUN pip install --no-cache-dir --quiet uv==0.13.9 \
    && uv pip install --system --no-cache --compile-bytecode --requirement /tmp/requirements.txt \
    && rm /tmp/requirements.txt

# Without its packages, which are mounted and found by PYTHONPATH: what this installs is the command `truecopy`.
COPY pyproject.toml README.md requirements.txt /tmp/truecopy/
RUN uv pip install --system --no-cache --no-deps /tmp/truecopy \
    && rm -r /tmp/truecopy

USER airflow
WORKDIR /opt/airflow

# Named volumes take owner and mode from these folders when they are first used.
RUN mkdir -p config dags include ledger logs plugins state

ENV AIRFLOW_HOME=/opt/airflow \
    PYTHONPATH=/opt/airflow \
    PYTHONUNBUFFERED=1 \
    GIT_AUTHOR_NAME=truecopy GIT_AUTHOR_EMAIL=truecopy@localhost \
    GIT_COMMITTER_NAME=truecopy GIT_COMMITTER_EMAIL=truecopy@localhost

ENTRYPOINT ["airflow"]
CMD ["version"]
