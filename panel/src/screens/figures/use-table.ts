import { useNavigate, useSearch } from '@tanstack/react-router';
import { listOf, listText } from '../../address.ts';

/** Whether a figure is shown as a table, which the address holds, and what changes that. */
export function useTable(name: string) {
  const shown = listOf(useSearch({ from: '/metricas' }).tabla);
  const navigate = useNavigate({ from: '/metricas' });
  const setTable = (isTable: boolean) =>
    void navigate({
      search: (former) => {
        const others = listOf(former.tabla).filter((one) => one !== name);
        const tables = listText(isTable ? [...others, name] : others);
        return { ...former, tabla: tables || undefined };
      },
      replace: true,
      resetScroll: false,
    });
  return [shown.includes(name), setTable] as const;
}
