# Fovea without anything else: built in the first stage, alone in the second.
#   docker build -t fovea .
#   docker run -i --rm -v fovea:/data -v "$PWD:/images" fovea
# starts the MCP server on stdio, as a host does. Other commands follow the name of the image:
#   docker run --rm -p 127.0.0.1:8000:8000 -v fovea:/data -e FOVEA_API_KEY fovea \
#     platform --host 0.0.0.0 --port 8000 --data /data/platform
# A service says whether it lives (the server on stdio has no such check, so the image has none):
#   --health-cmd 'node -e "fetch(process.argv[1]).then(({ ok }) => process.exit(ok ? 0 : 1))"
#     http://127.0.0.1:8001/health'

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.ts

FROM node:24-slim
COPY --from=build /build/dist /opt/fovea/dist
COPY package.json LICENSE /opt/fovea/
RUN mkdir -p /data /images && chown node:node /data /images
USER node
WORKDIR /images
# A container has no keychain: tokens are in an encrypted file.
ENV FOVEA_HOME=/data FOVEA_FILE_ROOTS=/images FOVEA_NO_BROWSER=1
VOLUME /data
ENTRYPOINT ["node", "/opt/fovea/dist/fovea.js"]
