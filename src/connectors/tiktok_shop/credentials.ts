import { z } from 'zod';
import { invalid } from '../../platform/failure.ts';
import type { Application } from '../contract.ts';

/**
 * The credential file of one shop. Which shop it is, the check learns; the key and the secret of
 * the application are given where it is not ours.
 */
export const TiktokShopCredentials = z.strictObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  shop_id: z.string().min(1).optional(),
  shop_cipher: z.string().min(1).optional(),
  app_key: z.string().min(1).optional(),
  app_secret: z.string().min(1).optional(),
});
export type TiktokShopCredentials = z.infer<typeof TiktokShopCredentials>;

/**
 * The application that the tokens were given to; null where neither the file nor this installation
 * has one.
 */
export function applicationOf(
  { app_key, app_secret }: TiktokShopCredentials,
  ours: Application | null,
): Pick<Application, 'clientId' | 'clientSecret'> | null {
  return app_key && app_secret ? { clientId: app_key, clientSecret: app_secret } : ours;
}

/** @throws Failure invalid_request */
export function applicationFor(credentials: TiktokShopCredentials, ours: Application | null) {
  const application = applicationOf(credentials, ours);
  if (application) return application;
  throw invalid(
    'app_key',
    'Faltan app_key y app_secret: TikTok Shop no contesta nada sin la firma de una aplicación.',
  );
}
