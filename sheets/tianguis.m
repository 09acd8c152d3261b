// Tianguis en Excel: Datos → Obtener datos → De otras fuentes → Consulta en blanco → Editor avanzado.
// La primera vez trae todas las órdenes; después, solo las que cambiaron desde la última que ves.
// La consulta debe llamarse igual que Tabla: ahí lee Excel lo que ya trajo.
let
    Direccion = "https://tianguis.example",
    // Un archivo de texto con tu clave y nada más. Así la clave no queda en el libro.
    ArchivoDeClave = "C:\Users\TU USUARIO\tianguis-clave.txt",
    Tabla = "Ordenes",
    // true = una fila por artículo. Para eso haz otra consulta, con Tabla = "Articulos".
    PorArticulo = false,

    Clave = Text.Trim(Text.FromBinary(File.Contents(ArchivoDeClave))),
    // Excel espera lo que pide Retry-After y repite, hasta tres veces.
    Pedir = (consulta as record) as record =>
        Json.Document(
            Web.Contents(
                Direccion,
                [
                    RelativePath = "v1/orders",
                    Query = [limit = "100"] & consulta,
                    Headers = [Authorization = "Bearer " & Clave],
                    Timeout = #duration(0, 0, 1, 0)
                ]
            )
        ),

    Llave = {"Marketplace", "Cuenta", "Orden"},
    Cambio = "Último cambio (UTC)",
    Columnas =
        if PorArticulo then
            Llave & {"Núm.", "Producto", "SKU", "Piezas", "Precio", "Moneda", "Estado", "Creada", Cambio}
        else
            Llave & {"Estado", "Total", "Moneda", "Comprador", "Creada", "Cerrada", "Piezas", Cambio},
    Estados = [
        pending = "Pendiente de pago",
        paid = "Pagada",
        ready_to_ship = "Lista para enviar",
        partially_shipped = "Envío parcial",
        shipped = "Enviada",
        delivered = "Entregada",
        cancelled = "Cancelada",
        returned = "Devuelta",
        refunded = "Reembolsada",
        unknown = "Sin clasificar"
    ],
    Estado = (codigo as nullable text) as nullable text =>
        if codigo = null then null else Record.FieldOrDefault(Estados, codigo, codigo),
    // Nadie ordena 0 piezas: es un renglón del que el marketplace ya no dice cuántas fueron.
    Piezas = (cuantas as nullable number) as nullable number => if cuantas = 0 then null else cuantas,
    PiezasDe = (articulos as list) as nullable number =>
        let cuantas = List.Transform(articulos, each Piezas([quantity]))
        in if List.Contains(cuantas, null) then null else List.Sum(cuantas),
    Textos = List.Intersect({Columnas, Llave & {"Producto", "SKU", "Moneda", "Estado", "Comprador", Cambio}}),

    Anterior = try Excel.CurrentWorkbook(){[Name = Tabla]}[Content] otherwise #table(Columnas, {}),
    Guardado =
        if Table.ColumnNames(Anterior) = Columnas then
            // Los estados y las piezas de filas que trajo una versión anterior, también.
            Table.TransformColumns(
                Table.TransformColumnTypes(
                    Table.SelectRows(Anterior, each [Orden] <> null),
                    List.Transform(Textos, each {_, type text})
                ),
                {{"Estado", Estado, type text}, {"Piezas", Piezas}}
            )
        else
            #table(Columnas, {}),
    Desde = List.Max(Table.Column(Guardado, Cambio), "1970-01-01T00:00:00Z"),

    Paginas = List.Generate(
        () => Pedir([updated_since = Desde]),
        each _ <> null,
        each if [pagination][has_more] then Pedir([cursor = [pagination][next_cursor]]) else null
    ),
    Ordenes = List.Combine(List.Transform(Paginas, each [data])),

    // El centro de México, que desde 2022 no cambia de horario.
    Fecha = (iso as nullable text) as nullable datetime =>
        if iso = null then null
        else DateTimeZone.RemoveZone(DateTimeZone.SwitchZone(DateTimeZone.FromText(iso), -6)),
    FilaDeOrden = (o as record) as list =>
        {
            o[marketplace], o[account_id], o[id], Estado(o[status]), o[total], o[currency], o[buyer_name],
            Fecha(o[date_created]), Fecha(o[date_closed]),
            PiezasDe(o[items]), o[last_updated]
        },
    FilasDeArticulos = (o as record) as list =>
        List.Transform(
            List.Positions(o[items]),
            each
                let a = o[items]{_}
                in
                    {
                        o[marketplace], o[account_id], o[id], _ + 1, a[title], a[sku], Piezas(a[quantity]),
                        a[unit_price], o[currency], Estado(o[status]), Fecha(o[date_created]), o[last_updated]
                    }
        ),
    Filas =
        if PorArticulo then List.Combine(List.Transform(Ordenes, FilasDeArticulos))
        else List.Transform(Ordenes, FilaDeOrden),
    Nuevo = #table(Columnas, Filas),
    LlavesNuevas = #table(Llave, List.Transform(Ordenes, each {[marketplace], [account_id], [id]})),

    // De las que cambiaron queda solo lo nuevo.
    Intacto = Table.NestedJoin(Guardado, Llave, LlavesNuevas, Llave, "cambiada", JoinKind.LeftAnti),
    Todo = Table.Combine({Table.SelectColumns(Intacto, Columnas), Nuevo}),
    Resultado = Table.TransformColumnTypes(
        Table.Distinct(Todo),
        List.Transform(Textos, each {_, type text})
            & {{"Creada", type datetime}, {"Piezas", Int64.Type}}
            & (if PorArticulo then {{"Precio", type number}} else {{"Total", type number}, {"Cerrada", type datetime}})
    )
in
    Resultado
