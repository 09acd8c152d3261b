/** An element of a document before it is written. */
export interface Element {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: Element[];
  /** Between its tags; elements with text have no children. */
  readonly text?: string;
}

/** All elements, each before what is inside it. */
export function* elementsOf(root: Element): Generator<Element> {
  yield root;
  for (const child of root.children) yield* elementsOf(child);
}

export function childrenOf({ children }: Element, namespace: string, name: string): Element[] {
  return children.filter((child) => child.namespace === namespace && child.name === name);
}

export function copyOf({ attributes, children, ...rest }: Element): Element {
  return { ...rest, attributes: new Map(attributes), children: children.map(copyOf) };
}
