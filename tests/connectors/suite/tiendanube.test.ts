import { tiendanube } from '../../support/stand-tiendanube.ts';
import { runSuite } from './suite.ts';

runSuite(tiendanube);
