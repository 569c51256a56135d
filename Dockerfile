# The service and nothing else: no compiler, no test, no development package, and not root.
FROM node:20.20.2-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npx tsc -b tsconfig.build.json
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:20.20.2-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY migrations ./migrations
COPY schemas ./schemas
RUN printf '#!/bin/sh\nexec node --max-semi-space-size=64 /app/dist/app/main.js "$@"\n' > /usr/local/bin/pin && chmod 755 /usr/local/bin/pin
USER node
ENV PIN_HTTP_ADDR=0.0.0.0:8088
EXPOSE 8088
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8088/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["pin", "run", "all"]
