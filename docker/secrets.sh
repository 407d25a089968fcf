#!/usr/bin/env bash
# Write every secret that compose.yaml names, once, into docker/secrets; those already there stay.
# Compose mounts these files as they are, and no container runs as you: the files can be read by all, the folder
# that holds them by you alone.
#   docker/secrets.sh [FOLDER]
set -euo pipefail

folder="${1:-$(cd "$(dirname "$0")" && pwd)/secrets}"
mkdir -p "$folder" && chmod 700 "$folder"
umask 022

# Hexadecimal everywhere: these values end up inside URLs.
keep() { # name, content
  if [[ -s "$folder/$1" ]]; then echo "kept    $1"; else printf '%s' "$2" > "$folder/$1" && echo "written $1"; fi
}

for role in postgres airflow owner reader worker refresher publisher steward researcher redis admin; do
  keep "${role}_password" "$(openssl rand -hex 24)"
done
keep jwt_secret "$(openssl rand -hex 32)"
keep api_secret_key "$(openssl rand -hex 32)"
keep fernet_key "$(openssl rand -base64 32 | tr '+/' '-_')"
keep nocturne_secret "$(openssl rand -hex 32)"

# The hospital's warehouse may be another server: put its address into reader_dsn by hand, and this leaves it alone.
# identity_dsn stays: the reader's role in the product's own database.
for role in owner reader worker refresher publisher steward; do
  keep "${role}_dsn" "postgresql://nocturne_$role:$(cat "$folder/${role}_password")@postgres:5432/nocturne"
done
keep identity_dsn "postgresql://nocturne_reader:$(cat "$folder/reader_password")@postgres:5432/nocturne"
