#!/bin/sh
# Starts the gateway (crossramp-gateway), a command (crossramp), the health check (crossramp-ready) or the signer
# (crossramp-signer) with the Node that npm has installed beside the package, or else with the one on the path.
program=$(basename "$0")
root=$(dirname "$(dirname "$(readlink -f "$0")")")
case $(uname -m) in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
node=node
for modules in "$root/.." "$root/node_modules"; do
  if [ -x "$modules/node-linux-$arch/bin/node" ]; then node=$modules/node-linux-$arch/bin/node; fi
done
case $program in
  crossramp) main=src/cli/main.js ;;
  crossramp-ready) main=bin/ready.js ;;
  crossramp-signer) main=src/cli/signer-main.js ;;
  *) main=src/main.js ;;
esac
exec "$node" --disable-warning=ExperimentalWarning --import "$root/bin/check-node.js" "$root/$main" "$@"
