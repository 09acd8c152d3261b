import { normalEmail } from '../../features/people/index.ts';
import { alarm, field, html } from '../page.ts';
import { orShowAgain, type PageRequest, type Reply, typed } from './page-request.ts';

export async function recoverPage(): Promise<Reply> {
  return recoverForm(null);
}

/**
 * The same answer after the same work, whether the address is known, wrong, or was sent enough
 * mails already.
 */
export async function recover(request: PageRequest): Promise<Reply> {
  return orShowAgain(
    async () => {
      await request.people.attempts.count('recovery', request.address);
      await request.people.recover(normalEmail(typed(request, 'correo')));
      return {
        title: 'Revisa tu correo',
        body: html`<p>Si ese correo tiene una cuenta, le enviamos un enlace.</p>
          <p>Si no llega en unos minutos, busca en el correo no deseado o <a href="/recuperar">escribe otra vez tu correo</a>.</p>
          <p><a href="/entrar">Volver a entrar</a></p>`,
      };
    },
    ({ message }) => recoverForm(message),
  );
}

function recoverForm(wrong: string | null): Reply {
  return {
    title: 'Recupera tu cuenta',
    body: html`${alarm(wrong)}<p>Te enviamos un enlace para elegir otra contraseña.</p>
      <form method="post" action="/recuperar">
        ${field({ name: 'correo', label: 'Correo', type: 'email', autocomplete: 'username' })}
        <button>Enviar enlace</button>
      </form>
      <p><a href="/entrar">Volver a entrar</a></p>`,
  };
}
