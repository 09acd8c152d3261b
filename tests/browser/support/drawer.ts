import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/**
 * What a row opened, and Escape closed, «back» does not open again: it leads to the screen before.
 * Begins at any screen, and ends at Ajustes.
 */
export async function closesForGood(page: Page, screen: string): Promise<void> {
  const menu = page.getByRole('navigation').first();
  const dialog = page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  await menu.getByRole('link', { name: 'Ajustes', exact: true }).click();
  await heading('Ajustes').waitFor();
  await menu.getByRole('link', { name: screen, exact: true }).click();
  await page.locator('.opener').first().click();
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.opener').first().click();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await heading(screen).waitFor();
  await page.goBack();
  await heading('Ajustes').waitFor();
  assert.equal(await dialog.count(), 0);
}
