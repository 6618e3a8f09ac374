.PHONY: assets

# GraphiQL from npm, built into internal/httpapi/assets, which the binary embeds.
assets:
	cd web && npm ci && npm run build
