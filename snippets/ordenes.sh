# Trae las órdenes que cambiaron desde la última vez. Necesita curl y jq.
TIANGUIS='https://tianguis.example'
MARCA=tianguis-as-of.txt

desde=$(cat "$MARCA" 2>/dev/null || true)
marca=''
cursor=''
while :; do
  # curl espera lo que dice Retry-After y vuelve a intentar.
  pagina=$(curl --silent --show-error --fail-with-body --retry 5 --get "$TIANGUIS/v1/orders" \
    --header "Authorization: Bearer $TIANGUIS_KEY" \
    --data limit=100 \
    ${desde:+--data-urlencode "updated_since=$desde"} \
    ${cursor:+--data-urlencode "cursor=$cursor"}) || { echo "$pagina" >&2; exit 1; }
  echo "$pagina" | jq --raw-output '.data[] | [.marketplace, .account_id, .id, .status, .total] | @tsv'
  [ -n "$marca" ] || marca=$(echo "$pagina" | jq --raw-output .meta.as_of)
  cursor=$(echo "$pagina" | jq --raw-output '.pagination.next_cursor // empty')
  [ -n "$cursor" ] || break
done
# Al final: si algo falla antes, la próxima vez se repite y no se pierde nada.
printf %s "$marca" > "$MARCA"
