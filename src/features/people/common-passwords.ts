/**
 * Usual passwords of twelve characters or more that the rules of `guessable.ts` do not find, without
 * case and accents: those of the list of the package @zxcvbn-ts/language-common 4.1.3.
 * MIT licence. Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc. Copyright (c) 2021 @zxcvbn-ts
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
010203040506 014702580369 01telemike01 050605rostik 102030405060 111222333000 111222333444555
112233445566 122333444455555 12qw34er56ty 159753456852 193570356033 19960610ilja 1a2a3a4a5a6a
1a2s3d4f5g6h 23176djivanfros 23wkoa0fp78dk 31217221027711 32615948worms 41d8cd98f00b
420842084208555 4815162342lf 4815162342lost 541233432442 59382113kevinp 6215mila6215
742617000027 89063032220m 89231243658s 89876065093rax 89semtsriuty a1s2d3f4g5h6 admin18533362
aksjdlasdakj89879 alpha135792468 amadeusptfcor an83546921an13 andrewjackie antananarivu
anytimetoday auckland2010 avrillavigne badiman28200 bhrh0h2oof6xbqjeh blacksonblon bltynbabrfwbz
boy4u2ownnyc bpgjldsgjldthnf bullnuts2003 businessbabe cheeseburger chesterfield chickenwing101
christopher1 civilization cjdthitycndj cnfc35762209 combat123654 configuratio construction
contortionist corperfmonsy cosmopolitan counterstrike devilmaycry4 digitalprodu dkflbvbhjdbx
dkflbvbhjdyf domainlock2005 edwardcullen entertainment fatima753357 finalfantasy findaupair007
fkmnthyfnbdf fktrcfylhjdbx fktrcfylhjdf fktrcfylhjdyf flvbybcnhfnjh foreveryoung frederiksberg
fucktheworld fuckyoubitch fynfyfyfhbde gfhfktkjuhfv ghbdtnrfrltkf ghhh47hj7649 ghjatccbjyfk
ghjcnjgbpltw ghjcnjgfhjkm ghjcnjqgfhjkm ghjcnjrdfibyj ghjnbdjcnjzybt ghtdtlvtldtl gjkysqgbpltw
greenlantern gthtrfnbgjkt gtnhjpfdjlcr hd764nw5d7e1vb1 hd764nw5d7e1vbv hedimaptfcor iampurehaha2
iloveboobies ilovemyfamily ingodwetrust installdevic installsqlst intelligence international
ipo54tj45uy856 iseedeadpeople jamesbond007 josephphone7 justinbieber ktjynsq40147 leavemealone
lhbjkjubz2957704 lost4815162342 love777321777 lytdybrbdfvgbhf lytghjgtnhjdcr mailcreated5240
maprchem56458 massimiliano masterbaiting masterbating masturbation maurolarastefy mevefalkcakk
michaeljackson minecraft123 minnesota_hp momsanaladventure morganstanley mortalkombat
motherfucker msoracle32re msorcloledbr ne_e_pod_chehyl necronomicon needforspeed
nemvxyheqdd5oqxyxyzi networkingpe newproject2004 nhbujyjvtnhbz nhecsyfujkjdt nhfdvfnjkju123
nhfycajhvths nick1234-rem936 nightcrawler nondriversig ntktdbpjh1994 olcrackmaster ontheoutside
p030710p$e4o paraklast1974 passwordassword passwordstandard peanutbutter pfqwtd27121988
philadelphia playstation2 playstation3 polniypizdec0211 polniypizdec1102 polniypizdec110211
pornographic professional ptybnxtvgbjy punksnotdead qawsedrftgyh qwaszxerdfcv residentevil
rfnthbyf1988 ronaldinho10 sanfrancisco satisfaction saun24865709 scandinavian schoolgirlie
sdicmt7seytn seemnemaailm sojdlg123aljg sonnenschein sonyericsson specialinsta stickdaddy77
stinkyfinger stratocaster supernatural systemofadown thecakeisalie ticketmaster transformers
unbelievable vanyarespekt vfvfvskfhfve vladimirovna warhammer40k wazzkaprivet websolutions
websolutionssu webuivalidat weihnachtsbau weihnachtsbaum whosyourdaddy xxxp455w0rd5 z1x2c3v4b5n6
z1x2c3v4b5n6m7 zcfvfzkexifz zqjphsyf6ctifgu
`
    .trim()
    .split(/\s+/),
);
