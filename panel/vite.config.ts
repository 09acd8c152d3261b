import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Built once, served by the product itself; there is no second server.
export default defineConfig({
  root: import.meta.dirname,
  base: '/panel/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Names the files of each screen, which the server lets the browser fetch at once.
    manifest: 'manifest.json',
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Every file by its own address: the content policy allows no data in scripts and styles.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
