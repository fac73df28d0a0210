#!/bin/sh
# Opens the workbench, or a file or folder in it; with other arguments, runs a command of Semscale.
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
here=$(CDPATH= cd -- "$here" && pwd) || exit
SEMSCALE_MODELS=${SEMSCALE_MODELS:-$here/models}
export SEMSCALE_MODELS
case $#$1 in
  0) cd && set -- open ;;
  1*[./]*) [ ! -e "$1" ] || set -- open "$1" ;;
esac
exec "$here/python/bin/python3" -I -X utf8 -m semscale "$@"
