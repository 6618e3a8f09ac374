# The image contains one static binary and runs it as an unprivileged user: docs/install.md.
FROM node:24-bookworm-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci
COPY web/build.js ./
COPY web/src src
COPY internal/httpapi/page/assets/README.md ../internal/httpapi/page/assets/
COPY internal/httpapi/layout/header.css ../internal/httpapi/layout/
RUN npm run build

FROM golang:1.26.9-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# Includes .git, from which Go derives the version.
COPY . .
COPY --from=page /src/internal/httpapi/page/assets/built internal/httpapi/page/assets/built
RUN CGO_ENABLED=1 go build -trimpath -tags netgo,osusergo,otel,parquet,sqlite_omit_load_extension -ldflags "-s -w -linkmode external -extldflags -static" -o /out/mintburn . \
    && mkdir /out/data

FROM scratch
COPY --from=build /out/mintburn /mintburn
COPY --from=build --chown=65532:65532 /out/data /data
# Temporary files of SQLite and the demo go to /data, the only writable folder.
ENV MINTBURN_DB=/data/mintburn.db MINTBURN_LISTEN=:8080 SQLITE_TMPDIR=/data TMPDIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["/mintburn", "health"]
ENTRYPOINT ["/mintburn"]
CMD ["serve"]
