# evenmatchd and the client in a small image that runs as nobody in particular.
#   docker build -t evenmatch . && docker run --rm -p 9050:9050 -p 9080:9080 evenmatch
FROM debian:bookworm-slim AS build
WORKDIR /src
SHELL ["/bin/bash", "-c"]
# The packages first: they change less often than the source.
COPY scripts/lib scripts/lib
RUN source scripts/lib/setup.sh && install_packages "${build_packages[@]}"
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY proto proto
COPY src src
COPY tests tests
RUN source scripts/lib/setup.sh && build release evenmatchd evenmatch && strip build/bin/evenmatchd build/bin/evenmatch

FROM debian:bookworm-slim
# A test compares this list with what the programs are linked to.
RUN apt-get update -q \
  && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
    ca-certificates \
    libabsl20220623 \
    libcpp-httplib0.11 \
    libfmt9 \
    libgrpc++1.51 \
    libgrpc29 \
    libprometheus-cpp-core1.0 \
    libprotobuf32 \
    libspdlog1.10 \
    libssl3 \
    libtcmalloc-minimal4 \
    libyaml-cpp0.7 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10050 --user-group --no-create-home --shell /usr/sbin/nologin evenmatch
COPY --from=build /src/build/bin/evenmatchd /src/build/bin/evenmatch /usr/local/bin/
COPY deploy/evenmatch.yaml /etc/evenmatch/evenmatch.yaml
USER 10050:10050
EXPOSE 9050 9080
# /healthz opens a new connection to the gRPC listener, so this notices a listener that died while the process lives.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["/bin/bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/9080 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && IFS= read -r line <&3 && [[ $line == *' 200 '* ]]"]
# SIGTERM drains; docker stop must wait longer than server.drain_grace.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/evenmatchd", "--grpc-address", "0.0.0.0:9050", "--http-address", "0.0.0.0:9080"]
CMD ["--config", "/etc/evenmatch/evenmatch.yaml", "--log-format", "json"]
