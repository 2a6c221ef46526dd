#!/bin/sh
# Azurite and its SDK, exactly as locked, beside their tests: 200 MB that nobody else needs.
cd "$(dirname "$0")" || exit 1
npm ci --no-audit --no-fund && exit 0
echo "test:azure cannot run: npm ci in test/remote/azure failed, see above. It needs a registry of npm packages." >&2
exit 1
