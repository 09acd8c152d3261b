/** The component library in the colours and sizes of the pages: marco.css defines them. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core';

export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  defaultRadius: '6px',
  primaryShade: 8,
  cursorType: 'pointer',
  respectReducedMotion: true,
});

const COLOURS = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--grey)',
  '--mantine-color-placeholder': 'var(--grey)',
  '--mantine-color-error': 'var(--red)',
  '--mantine-color-anchor': 'var(--blue)',
  '--mantine-color-default': 'var(--paper)',
  '--mantine-color-default-hover': 'var(--soft)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-primary-color-filled': 'var(--blue)',
  '--mantine-primary-color-filled-hover': 'var(--blue)',
  '--mantine-primary-color-contrast': 'var(--on-blue)',
  '--mantine-primary-color-light-color': 'var(--blue)',
};

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: COLOURS,
  dark: COLOURS,
});
