# syntax=docker/dockerfile:1
# Builds with what building needs, runs with what running needs; root builds, nobody special runs.

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Not `npm ci`: it refuses a lock file without other platforms' optional packages.
RUN npm install --workspaces=false --omit=peer --no-save --no-fund --no-audit
COPY . .
RUN npm run build

FROM node:20-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The lock file has OCR's packages, the optional peers, for the tests' sake.
COPY test/package.json ./test/
RUN npm install --workspaces=false --omit=dev --no-save --no-fund --no-audit

FROM node:20-bookworm-slim
# The sandbox of commands: without it, or where the container may not use it, bash is off.
# ripgrep: without it grep matches by expressions that may backtrack, and is stopped after 10 s.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap ripgrep && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY instructions ./instructions
# Where agents work, a folder for each principal: mount a volume here, writable for `node`.
ENV TURNPIKE_PROJECTS_DIR=/projects
RUN mkdir /projects && chown node:node /projects
USER node
EXPOSE 4400
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.TURNPIKE_PORT || 4400) + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
