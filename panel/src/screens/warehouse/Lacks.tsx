import { type Output, organizationId } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { lackWords } from './words.ts';

type Lack = Output<'lines.get'>['data']['lacks'][number];
type Article = Lack['articles'][number];

/** Which measures of which products a line lacks, with the way to each product's form. */
export function GoodsLacks({ lacks }: { readonly lacks: readonly GoodsLack[] }) {
  const weightless = articlesOf(lacks, 'missing_weight');
  const shapeless = articlesOf(lacks, 'missing_dimensions');
  const isIn = (articles: readonly Article[], { name }: Article) =>
    articles.some((one) => one.name === name);
  const parts = {
    both: weightless.filter((article) => isIn(shapeless, article)),
    weight: weightless.filter((article) => !isIn(shapeless, article)),
    size: shapeless.filter((article) => !isIn(weightless, article)),
  };
  const isEmpty = lacks.some(({ code }) => code === 'missing_weight') && weightless.length === 0;
  if (isEmpty) return <li>{lackWords.nothing}</li>;
  return (Object.keys(parts) as (keyof typeof parts)[])
    .filter((part) => parts[part].length > 0)
    .map((part) => (
      <li key={part}>
        {lackWords[part]} <Articles articles={parts[part]} />
      </li>
    ));
}

type GoodsLack = Pick<Lack, 'articles'> & { readonly code: string };

function articlesOf(lacks: readonly GoodsLack[], code: Lack['code']): readonly Article[] {
  return lacks.find((lack) => lack.code === code)?.articles ?? [];
}

function Articles({ articles }: { readonly articles: readonly Article[] }) {
  const mayLook = useFrame().data?.operations.includes('inventory.get') ?? false;
  return articles.map(({ sku, name }, at) => (
    <span key={name}>
      {at > 0 && ', '}
      {/* Goods without a SKU are in no inventory. */}
      {mayLook && sku !== null ? (
        <PanelLink address={`/panel/${organizationId}/inventario?${new URLSearchParams({ sku })}`}>
          {lackWords.fill(name)}
        </PanelLink>
      ) : (
        name
      )}
    </span>
  ));
}
