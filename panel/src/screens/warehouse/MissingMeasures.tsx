import { useSearch } from '@tanstack/react-router';
import { type Output, organizationId } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { guideWords } from './guide-words.ts';
import { lackWords } from './words.ts';

type LineObstacle = Output<'lines.get'>['data']['lacks'][number];
type Article = LineObstacle['articles'][number];

interface MissingMeasuresProps {
  readonly lacks: readonly GoodsObstacle[];
  /** How many lines wait for each of these articles, by name; absent = of one line. */
  readonly counts?: ReadonlyMap<string, number>;
}

/** Which measures of which products a line lacks, with the way to each product's form. */
export function MissingMeasures({ lacks, counts }: MissingMeasuresProps) {
  // The product's form leads back to this review or line, in the same list.
  const search = useSearch({ from: '/almacen' });
  const from = String(new URLSearchParams({ ...search }));
  const calls = useFrame().data?.operations ?? [];
  const mayWrite = calls.includes('inventory.get') && calls.includes('products.change');
  const weightless = articlesOf(lacks, 'missing_weight');
  const shapeless = articlesOf(lacks, 'missing_dimensions');
  const isEmpty = lacks.some(({ code }) => code === 'missing_weight') && weightless.length === 0;
  if (isEmpty) return <li>{lackWords.nothing}</li>;
  const articles = new Map([...weightless, ...shapeless].map((one) => [one.name, one]));
  return [...articles.values()].map(({ sku, name }) => (
    <li key={name}>
      {lackWords.of(isIn(weightless, name), isIn(shapeless, name))} <code>{name}</code>
      {counts && `, ${guideWords.inLines(counts.get(name) ?? 0)}`}.{' '}
      {/* Goods without a SKU are in no inventory. */}
      {mayWrite && sku !== null && (
        <PanelLink address={formOf(sku, from)}>{lackWords.write}</PanelLink>
      )}
    </li>
  ));
}

function formOf(sku: string, from: string): string {
  return `/panel/${organizationId}/inventario?${new URLSearchParams({ sku, desde: from })}`;
}

function isIn(articles: readonly Article[], name: string): boolean {
  return articles.some((one) => one.name === name);
}

export type GoodsObstacle = Pick<LineObstacle, 'articles'> & { readonly code: string };

function articlesOf(
  lacks: readonly GoodsObstacle[],
  code: LineObstacle['code'],
): readonly Article[] {
  return lacks.find((each) => each.code === code)?.articles ?? [];
}
