import { fiscalProfile, PERSONS, setFiscalProfile } from '../features/cfdi/index.ts';
import { invalid } from '../platform/failure.ts';
import { type Command, inContext, organizationOf } from './command.ts';

export const fiscalProfileCommand: Command = {
  usage:
    'fiscal-profile --organization ID [--rfcs RFC,…] [--person natural|legal] [--regime CLAVE] [--border-vat]',
  about:
    'Muestra los datos fiscales de una organización, o los cambia; con ellos se sabe qué CFDI son emitidos y cuáles recibidos.',
  options: ['organization', 'rfcs', 'person', 'regime'],
  required: ['organization'],
  flags: ['border-vat'],
  async run(given) {
    const { organization: id, rfcs, regime: code, 'border-vat': border } = given;
    const person = personOf(given.person);
    const { profile, changed } = await inContext(async ({ database }) => {
      const { id: organizationId } = await organizationOf(database, id);
      const organization = database.within(organizationId);
      if (rfcs === undefined && person === undefined && code === undefined && !border)
        return { profile: await organization.read(fiscalProfile), changed: 0 };
      return organization.write(async (scope) => {
        const before = await fiscalProfile(scope);
        const redirected = await setFiscalProfile(scope, 'operator', {
          person: person ?? before.person,
          regime: code ?? before.regime,
          hasBorderVat: border !== undefined || before.hasBorderVat,
          rfcs: rfcs?.split(',') ?? before.rfcs,
        });
        return { profile: await fiscalProfile(scope), changed: redirected };
      });
    });
    const { regime, hasBorderVat, rfcs: own } = profile;
    const json = { person: profile.person, regime, border_vat: hasBorderVat, rfcs: own, changed };
    const text = [
      `RFC: ${own.join(', ') || 'ninguno'}`,
      `Régimen: ${regime ?? 'sin indicar'}; IVA de frontera: ${hasBorderVat ? 'sí' : 'no'}`,
      `CFDI que cambiaron de emitidos, recibidos u otros: ${changed}`,
    ].join('\n');
    return { json, text };
  },
};

function personOf(given: string | undefined) {
  if (given === undefined) return undefined;
  const found = PERSONS.find((person) => person === given);
  if (!found) throw invalid('person', 'La persona es natural (física) o legal (moral).');
  return found;
}
