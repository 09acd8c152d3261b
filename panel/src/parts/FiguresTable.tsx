import type { ReactNode } from 'react';
import { Scrolled } from './Scrolled.tsx';

interface FiguresTableProps {
  /** What it is called; `labelledBy` names a heading by its id instead. */
  readonly label?: string;
  readonly labelledBy?: string;
  /** What a row is. */
  readonly row: string;
  /** The titles of its figures. */
  readonly figures: readonly string[];
  /** The rows, each with a head and its figures. */
  readonly children: ReactNode;
}

/** A small table of figures, all of its rows shown. */
export function FiguresTable({ label, labelledBy, row, figures, children }: FiguresTableProps) {
  return (
    <Scrolled>
      <table className="plain" aria-label={label} aria-labelledby={labelledBy}>
        <thead>
          <tr>
            <th scope="col">{row}</th>
            {figures.map((title) => (
              <th key={title} scope="col" className="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scrolled>
  );
}
