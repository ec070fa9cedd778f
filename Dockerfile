# A daemon with its page. Sessions run inside the container; agents and history are those of its home, a volume.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.types.json ./
RUN npm ci --no-audit --no-fund
COPY scripts scripts
COPY src src
COPY docs/schemas docs/schemas
COPY README.md LICENSE ./
RUN node scripts/build.mjs && mkdir packed && npm pack --pack-destination /build/packed

FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends git tini && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/packed/ /packed/
RUN npm install --global --ignore-scripts --no-audit --no-fund /packed/amux-*.tgz && rm -r /packed
USER node
ENV HOME=/home/node
VOLUME /home/node
WORKDIR /home/node
HEALTHCHECK --interval=30s --timeout=5s CMD ["amux", "daemon", "status"]
# tini collects processes that outlive their session.
ENTRYPOINT ["tini", "--", "amux"]
# It listens on 127.0.0.1:8790 only: run it with --network host, and sign in with `docker exec <container> amux open`.
CMD ["daemon"]
