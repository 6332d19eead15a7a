#!/bin/sh
# A policy of your own: optgap compare -T 8 --policy "command:sh own-policy.sh" 3x1,1
#
# It labels an instance with the fewest labels; priors must be whole numbers. The posteriors are
# between [[ and ]], as a,b],[a,b and so on; the index of each is -(a + b).
while read -r state; do
    posteriors=${state#*'[['}
    posteriors=${posteriors%%']]'*}
    index=
    while [ -n "$posteriors" ]; do
        first=${posteriors%%']'*}
        index="$index${index:+,}-$((${first%,*} + ${first#*,}))"
        case $posteriors in
        *'],['*) posteriors=${posteriors#*'],['} ;;
        *) posteriors= ;;
        esac
    done
    echo "{\"index\":[$index]}"
done
