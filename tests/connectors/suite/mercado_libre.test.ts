import { mercadoLibre } from '../../support/stand-mercado-libre.ts';
import { runSuite } from './suite.ts';

// Also runs on served PostgreSQL and Redis.

runSuite(mercadoLibre);
