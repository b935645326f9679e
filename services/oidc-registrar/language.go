package registrar

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// languages are the codes of ISO 639-2/T, sorted, without the range for local use.
var languages = strings.Fields(`
	aar abk ace ach ada ady afa afh afr ain aka akk ale alg alt amh ang anp apa ara arc arg arn arp art arw asm ast
	ath aus ava ave awa aym aze bad bai bak bal bam ban bas bat bej bel bem ben ber bho bih bik bin bis bla bnt bod
	bos bra bre btk bua bug bul byn cad cai car cat cau ceb cel ces cha chb che chg chk chm chn cho chp chr chu chv
	chy cmc cnr cop cor cos cpe cpf cpp cre crh crp csb cus cym dak dan dar day del den deu dgr din div doi dra dsb
	dua dum dyu dzo efi egy eka ell elx eng enm epo est eus ewe ewo fan fao fas fat fij fil fin fiu fon fra frm fro
	frr frs fry ful fur gaa gay gba gem gez gil gla gle glg glv gmh goh gon gor got grb grc grn gsw guj gwi hai hat
	hau haw heb her hil him hin hit hmn hmo hrv hsb hun hup hye iba ibo ido iii ijo iku ile ilo ina inc ind ine inh
	ipk ira iro isl ita jav jbo jpn jpr jrb kaa kab kac kal kam kan kar kas kat kau kaw kaz kbd kha khi khm kho kik
	kin kir kmb kok kom kon kor kos kpe krc krl kro kru kua kum kur kut lad lah lam lao lat lav lez lim lin lit lol
	loz ltz lua lub lug lui lun luo lus mad mag mah mai mak mal man map mar mas mdf mdr men mga mic min mis mkd mkh
	mlg mlt mnc mni mno moh mon mos mri msa mul mun mus mwl mwr mya myn myv nah nai nap nau nav nbl nde ndo nds nep
	new nia nic niu nld nno nob nog non nor nqo nso nub nwc nya nym nyn nyo nzi oci oji ori orm osa oss ota oto paa
	pag pal pam pan pap pau peo phi phn pli pol pon por pra pro pus que raj rap rar roa roh rom ron run rup rus
	sad sag sah sai sal sam san sas sat scn sco sel sem sga sgn shn sid sin sio sit sla slk slv sma sme smi smj smn
	smo sms sna snd snk sog som son sot spa sqi srd srn srp srr ssa ssw suk sun sus sux swa swe syc syr tah tai tam
	tat tel tem ter tet tgk tgl tha tig tir tiv tkl tlh tli tmh tog ton tpi tsi tsn tso tuk tum tup tur tut tvl twi
	tyv udm uga uig ukr umb und urd uzb vai ven vie vol vot wak wal war was wen wln wol xal xho yao yap yid yor ypk
	zap zbl zen zgh zha zho znd zul zun zxx zza
`)

// isLanguage reports whether code is one of ISO 639-2. Where that has two codes for a language, it is the one for
// terminology: a language has one spelling.
func isLanguage(code string) bool {
	_, found := slices.BinarySearch(languages, code)
	return found
}

// LanguageCode is the code of ISO 639-2 for a language tag (BCP 47) without region or
// script, and empty for any other text.
func LanguageCode(tag string) string {
	base, err := language.ParseBase(tag)
	if err != nil || !isLanguage(base.ISO3()) {
		return ""
	}
	return base.ISO3()
}

// LanguageTag is the shortest tag (BCP 47) for a code of ISO 639-2 that a client has.
func LanguageTag(code string) string {
	base, err := language.ParseBase(code)
	if err != nil {
		return code
	}
	return base.String()
}
