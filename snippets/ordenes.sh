# Trae las órdenes que cambiaron desde la última vez. Necesita curl y jq.
TIANGUIS='https://tianguis.example'
MARCA=tianguis-as-of.txt
# A un archivo, que curl vacía antes de cada intento: una respuesta rechazada no se mezcla con la buena.
pagina=$(mktemp)
trap 'rm -f "$pagina"' EXIT

desde=$(cat "$MARCA" 2>/dev/null || true)
marca=''
cursor=''
while :; do
  # curl espera lo que dice Retry-After y vuelve a intentar.
  curl --silent --show-error --fail-with-body --retry 5 --output "$pagina" --get "$TIANGUIS/v1/orders" \
    --header "Authorization: Bearer $TIANGUIS_KEY" \
    --data limit=100 \
    ${desde:+--data-urlencode "updated_since=$desde"} \
    ${cursor:+--data-urlencode "cursor=$cursor"} || { cat "$pagina" >&2; exit 1; }
  jq --raw-output '.data[] | [.marketplace, .account_id, .id, .status, .total] | @tsv' "$pagina" || exit 1
  [ -n "$marca" ] || marca=$(jq --raw-output .meta.as_of "$pagina")
  cursor=$(jq --raw-output '.pagination.next_cursor // empty' "$pagina")
  [ -n "$cursor" ] || break
done
# Al final: si algo falla antes, la próxima vez se repite y no se pierde nada.
printf %s "$marca" > "$MARCA"
