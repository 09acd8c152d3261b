import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { words } from '../words.ts';
import { useInSlices } from './use-in-slices.ts';
import { walk } from './walk-rows.ts';

export interface Column<Row> {
  /** On a phone's card also the class of its place, `fact-…` in `panel.css`. */
  readonly key: string;
  readonly title: string;
  /** What stands above the column instead of its title. */
  readonly head?: ReactNode;
  /** In CSS; left out, the column takes what is left. */
  readonly width?: string;
  readonly isNumber?: boolean;
  /** On a card its title stands before it: without, it could be taken for another one. */
  readonly isNamed?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** Rows that a person chooses, to do something with all of them. */
export interface Selection<Row> {
  /** By `keyOf`. */
  readonly chosen: ReadonlySet<string>;
  /** What the box of a row is called. */
  readonly labelOf: (row: Row) => string;
  readonly labelOfAll: string;
  /** No more rows than these can be chosen; those of other pages count. */
  readonly most: number;
  readonly onChoose: (rows: readonly Row[], isChosen: boolean) => void;
}

export interface DataTableProps<Row> {
  readonly label: string;
  /** The first is what opens a row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  /** Null = none. */
  readonly openKey?: string | null;
  /** Absent = no row can be chosen. */
  readonly selection?: Selection<Row>;
  /** Its rows may be higher than the usual. */
  readonly mayWrap?: boolean;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

const ROW_PX = 36;
const CARD_PX = 116;
const GHOSTS = 12;
/** Asks for the next page this many rows before the end. */
const AHEAD = 20;

/** Only the rows in sight; cards in the same order of facts on a phone. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, hasMore, isLoading, loadMore } = props;
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, {
    getInitialValueInEffect: false,
  });
  const top = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(top.current?.offsetTop ?? 0), []);
  const count = isLoading ? GHOSTS : rows.length;
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX),
    overscan: 4,
    scrollMargin: margin,
  });
  const inSight = virtual.getVirtualItems();
  const shown = useInSlices(inSight);
  const last = inSight.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) loadMore();
  }, [hasMore, last, rows.length, loadMore]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of a row follows from it
  useEffect(() => virtual.measure(), [virtual, isNarrow]);

  const before = (shown[0]?.start ?? margin) - margin;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? margin) - margin);
  const drawn = shown.map(({ index }) => ({
    index,
    row: isLoading ? null : (rows[index] ?? null),
  }));
  const measure = props.mayWrap ? virtual.measureElement : null;
  const parts = { ...props, drawn, before, after, measure };
  return (
    <div ref={top} aria-busy={isLoading}>
      {isLoading && (
        <p className="unseen" role="status">
          {words.parts.loading}
        </p>
      )}
      {isNarrow ? <Cards {...parts} /> : <Table {...parts} columns={columns} label={label} />}
    </div>
  );
}

interface Drawn<Row> extends DataTableProps<Row> {
  /** Null = a place that is still loading. */
  readonly drawn: readonly { readonly index: number; readonly row: Row | null }[];
  /** Pixels of the rows out of sight. */
  readonly before: number;
  readonly after: number;
  /** Null = all rows have the usual height. */
  readonly measure: ((row: HTMLElement | null) => void) | null;
}

function Table<Row>(props: Drawn<Row>) {
  const { label, columns, rows, drawn, before, after, measure, keyOf } = props;
  const { onOpen, openKey, selection } = props;
  const width = columns.length + (selection ? 1 : 0);
  return (
    <table className="data" aria-label={label} aria-rowcount={rows.length + 1}>
      <colgroup>
        {selection && <col className="choose" />}
        {columns.map(({ key, width }) => (
          <col key={key} style={{ width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {selection && (
            <th scope="col">
              <ChooseAll rows={rows} keyOf={keyOf} selection={selection} />
            </th>
          )}
          {columns.map(({ key, title, head, isNumber }) => (
            <th key={key} scope="col" className={isNumber ? 'number' : undefined}>
              {head ?? title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Space columns={width} height={before} />
        {drawn.map(({ index, row }) => (
          <Line
            key={row === null ? index : keyOf(row)}
            index={index}
            row={row}
            columns={columns}
            measure={measure}
            keyOf={keyOf}
            selection={selection}
            onOpen={onOpen}
            isOpen={row !== null && keyOf(row) === openKey}
          />
        ))}
        <Space columns={width} height={after} />
      </tbody>
    </table>
  );
}

interface LineProps<Row>
  extends Pick<Drawn<Row>, 'columns' | 'measure' | 'keyOf' | 'selection' | 'onOpen'> {
  readonly index: number;
  readonly row: Row | null;
  readonly isOpen: boolean;
}

function LineOf<Row>(props: LineProps<Row>) {
  const { index, row, columns, measure, keyOf, selection, onOpen, isOpen } = props;
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isOpen ? true : undefined}
    >
      {selection && (
        <td>{row !== null && <Choose row={row} keyOf={keyOf} selection={selection} />}</td>
      )}
      {columns.map((column, at) => (
        <td key={column.key} className={column.isNumber ? 'number' : undefined}>
          {row === null ? <span className="ghost" /> : cellOf(onOpen, column, at, row)}
        </td>
      ))}
    </tr>
  );
}

/** A scroll draws only the rows that come into sight. */
const Line = memo(LineOf) as typeof LineOf;

function Cards<Row>(props: Drawn<Row>) {
  const { label, columns, rows, drawn, before, after, measure } = props;
  const { keyOf, selection, onOpen } = props;
  return (
    <>
      {selection && (
        // biome-ignore lint/a11y/noLabelWithoutControl: its box is in ChooseAll
        <label className="choose-all">
          <ChooseAll rows={rows} keyOf={keyOf} selection={selection} />
          {selection.labelOfAll}
        </label>
      )}
      <ul className="data-cards" aria-label={label}>
        <li aria-hidden="true" style={{ height: before }} />
        {drawn.map(({ index, row }) => (
          <li
            key={row === null ? index : keyOf(row)}
            ref={measure}
            data-index={index}
            className="data-card"
          >
            {row === null ? (
              <span className="ghost" />
            ) : (
              columns.map((column, at) => (
                <span key={column.key} className={`fact fact-${column.key}`}>
                  {selection && at === 0 && (
                    <Choose row={row} keyOf={keyOf} selection={selection} />
                  )}
                  {column.isNamed && <span className="faint">{column.title}: </span>}
                  {cellOf(onOpen, column, at, row)}
                </span>
              ))
            )}
          </li>
        ))}
        <li aria-hidden="true" style={{ height: after }} />
      </ul>
    </>
  );
}

interface ChooseProps<Row> {
  readonly selection: Selection<Row>;
  readonly keyOf: (row: Row) => string;
}

function Choose<Row>({ row, keyOf, selection }: ChooseProps<Row> & { readonly row: Row }) {
  return (
    <input
      type="checkbox"
      className="choose-box"
      aria-label={selection.labelOf(row)}
      checked={selection.chosen.has(keyOf(row))}
      onChange={({ target }) => selection.onChoose([row], target.checked)}
    />
  );
}

function ChooseAll<Row>({
  rows,
  keyOf,
  selection,
}: ChooseProps<Row> & { readonly rows: readonly Row[] }) {
  const { chosen, most } = selection;
  const among = rows.filter((row) => chosen.has(keyOf(row))).length;
  const isAll = among > 0 && (among === rows.length || chosen.size >= most);
  return (
    <input
      type="checkbox"
      className="choose-box"
      aria-label={selection.labelOfAll}
      checked={isAll}
      onChange={({ target }) => selection.onChoose(rows, target.checked)}
    />
  );
}

function Space({ columns, height }: { columns: number; height: number }) {
  return height <= 0 ? null : (
    <tr className="space">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

function cellOf<Row>(
  onOpen: DataTableProps<Row>['onOpen'],
  column: Column<Row>,
  at: number,
  row: Row,
): ReactNode {
  if (at > 0 || !onOpen) return column.cell(row);
  return (
    <button type="button" className="opener" onKeyDown={walk} onClick={() => onOpen(row)}>
      {column.cell(row)}
    </button>
  );
}
