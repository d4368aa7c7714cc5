# One image for every command: the worker, the API, and what a person runs. The first stage installs the packages and
# builds the pages without the sources, so that a change of a source does not repeat it.
ARG NODE=24.21.0-bookworm-slim

FROM node:${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/web.ts ./scripts/
COPY web ./web
RUN npm pkg set scripts.prepare='tsx scripts/web.ts' && npm ci --omit=dev --no-audit --no-fund

FROM node:${NODE}
ENV NODE_ENV=production TAPELINE_HOME=/data
# A new volume takes over who owns the folder that it is mounted on.
RUN install -d -o node -g node /data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
COPY --from=packages /app/web/dist ./web/dist
RUN npx tsx scripts/docs.ts references
USER node
ENTRYPOINT ["node", "/app/bin/tapeline.js"]
CMD ["help"]
