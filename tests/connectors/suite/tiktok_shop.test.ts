import { tiktokShop } from '../../support/stand-tiktok-shop.ts';
import { runSuite } from './suite.ts';

runSuite(tiktokShop);
