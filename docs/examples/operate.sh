#!/usr/bin/env bash
# A walk through an operator's day, on an installation whose settings are in the environment and whose processor runs.
# usage: operate.sh CHANNEL PROVIDER; `pin` must be on PATH
set -euo pipefail
channel=$1 provider=$2

pin check
pin channel set "$channel" --provider "$provider"
id=$(pin send --channel "$channel" --to ada@example.com --subject Hello --text 'Hello, Ada')
until pin show "$id" --json 2> /dev/null | grep -q '"status":"Sent"'; do sleep 0.2; done
pin show "$id"

pin channel disable "$channel"                     # everything on it is held, nothing is lost
sleep 3                                            # processors follow within 2 s
held=$(pin send --channel "$channel" --to ada@example.com --subject Later --text 'Hello again')
until pin show "$held" --json 2> /dev/null | grep -q '"held":"channel-disabled"'; do sleep 0.2; done
pin channel enable "$channel"                      # released at the channel's pace
until pin show "$held" --json | grep -q '"status":"Sent"'; do sleep 0.2; done

pin list --since 1h
pin lag
pin audit
