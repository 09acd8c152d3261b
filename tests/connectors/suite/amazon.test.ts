import { amazon } from '../../support/stand-amazon.ts';
import { runSuite } from './suite.ts';

runSuite(amazon);
