# The package of docs/operations.md ("A production installation") as an image: no development tools, no npm, an unprivileged user
# that writes its state folder only. docs/containers.md says how to run it.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run --silent package && tar -xzf dist/crossramp-gateway-*.tgz -C / && cd /package && npm ci --omit=dev

FROM ${BASE_IMAGE}
RUN groupadd --system --gid 10001 crossramp \
 && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/crossramp crossramp \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/crossramp
COPY --from=build /package /opt/crossramp-gateway
ENV PATH=/opt/crossramp-gateway/bin:$PATH \
    CROSSRAMP_HOME=/var/lib/crossramp \
    HOST=0.0.0.0 \
    PORT=4000
USER 10001:10001
WORKDIR /var/lib/crossramp
VOLUME /var/lib/crossramp
EXPOSE 4000
# A first start makes the embedded database, where no DATABASE_URL names another.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["crossramp-ready"]
CMD ["crossramp-gateway"]
