#!/bin/sh
# Activates an app in numbered profiles without a window, or takes it back. The license key comes from standard input:
#   printf %s "$KEY" | roll-out.sh activate /srv/profiles 10 /opt/Inkwell/inkwell
#   roll-out.sh deactivate /srv/profiles 10 /opt/Inkwell/inkwell
set -eu
verb=$1 profiles=$2 count=$3
shift 3
key=''
[ "$verb" = deactivate ] || key=$(cat)
# Electron needs a display on Linux, even if no window opens.
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || set -- xvfb-run -a "$@"
failed=0 number=1
while [ "$number" -le "$count" ]; do
  if [ "$verb" = deactivate ]; then
    "$@" "--user-data-dir=$profiles/$number" --deactivate </dev/null || failed=$?
  else
    printf %s "$key" | "$@" "--user-data-dir=$profiles/$number" --activate - || failed=$?
  fi
  number=$((number + 1))
done
exit "$failed"
