# The program in a container, built by tools/quickstart. The steps were run in a bare Debian 12, not by docker itself.
#
#   docker build -t optgap .
#   docker run --rm optgap compare -T 12 10x1,1
#   docker run --rm -v "$PWD:/data" optgap next --labels labels.tsv -T 40 --batch 5
FROM debian:bookworm-slim

COPY . /usr/src/optgap
RUN /usr/src/optgap/tools/quickstart \
    && ln -s /usr/src/optgap/build/optgap /usr/local/bin/optgap \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /data
ENTRYPOINT ["optgap"]
