# syntax=docker/dockerfile:1
# Builds with what building needs, runs with what running needs; root builds, nobody special runs.
#
#   docker build --build-arg SOURCE_COMMIT="$(git rev-parse HEAD)" -t turnpike .
#   docker run -p 4400:4400 turnpike

# What is built is the same for every processor; an emulated one would be slow.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Not `npm ci`: it refuses a lock file without other platforms' optional packages. No package needs its script.
RUN --mount=type=cache,target=/root/.npm \
  npm install --workspaces=false --legacy-peer-deps --ignore-scripts --no-save --no-fund --no-audit
COPY . .
# There is no git here to ask.
ARG SOURCE_COMMIT=
# The script itself: npm would look for the packages of tests first. The server needs no declarations, and nothing in the
# image reads source maps.
RUN node scripts/build.mjs --without-types && find dist -name '*.map' -delete && \
  node scripts/published-manifest.mjs print > published.json

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package-lock.json ./
# The bundle has the rest. The lock file has OCR's packages, the optional peers, for the tests' sake.
COPY --from=build /app/published.json ./package.json
RUN --mount=type=cache,target=/root/.npm \
  npm install --workspaces=false --omit=dev --ignore-scripts --no-save --no-fund --no-audit

FROM node:24-bookworm-slim
# The sandbox of commands: without it, or where the container may not use it, bash is off.
# ripgrep is for commands.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap ripgrep && rm -rf /var/lib/apt/lists/*
# A container is reached from outside of itself, so its first start makes an API key and prints it, once.
ENV NODE_ENV=production \
  TURNPIKE_HOST=0.0.0.0 \
  TURNPIKE_FIRST_KEY=print \
  TURNPIKE_DATA_DIR=/data \
  TURNPIKE_PROJECTS_DIR=/projects
WORKDIR /app
# The embedded database, and where agents work: volumes that are mounted here must be writable for `node`.
RUN mkdir /data /projects && chown node:node /data /projects
# What changes least comes first: an upgrade downloads the layers from the first that changed.
COPY --from=packages /app/node_modules ./node_modules
COPY instructions ./instructions
COPY LICENSE ./
COPY --from=build /app/published.json ./package.json
COPY --from=build /app/dist ./dist
VOLUME ["/data", "/projects"]
USER node
EXPOSE 4400
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.TURNPIKE_PORT || 4400) + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--v8-pool-size=2", "dist/main.js"]
ARG SOURCE_COMMIT=
LABEL org.opencontainers.image.title="Turnpike" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.revision="${SOURCE_COMMIT}"
