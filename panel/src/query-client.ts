import { QueryClient } from '@tanstack/react-query';
import { CallFailure } from './client.ts';

const TRIES = 2;
// A browser may hold itself for offline while it reaches the server; whether it does, a call shows.
const networkMode = 'always';

export const queries = new QueryClient({
  defaultOptions: {
    mutations: { networkMode },
    queries: {
      networkMode,
      staleTime: 30_000,
      retry: (count, error) =>
        count < TRIES && error instanceof CallFailure && error.code === 'offline',
    },
  },
});
