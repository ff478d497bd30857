use std::fs;
use std::io::BufReader;
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let needs = std::env::args().nth(2).unwrap_or_default();
    let m = fs::read_to_string(format!("{dir}/manifest.tsv")).unwrap();
    let (mut ok, mut bad) = (0, 0);
    for l in m.lines().skip(1) {
        let f: Vec<&str> = l.split('\t').collect();
        if !needs.is_empty() && f.get(4).is_some_and(|n| *n != needs) {
            continue;
        }
        let text = fs::read_to_string(format!("{dir}/{}", f[0])).unwrap();
        let spec = match mayhap::Spec::from_text(&text) {
            Ok(s) => s,
            Err(e) => {
                println!("{} {e}", f[0]);
                bad += 1;
                continue;
            }
        };
        let mut v = mayhap::Validator::new(&spec);
        let mut ex =
            mayhap::validate::Exchanges::new(&spec, BufReader::new(fs::File::open(format!("{dir}/{}", f[1])).unwrap()));
        let r = mayhap::validate::judge(&mut v, &mut ex);
        if let Err(e) = r {
            println!("{} {}", f[1], e.render("t"));
            bad += 1;
            continue;
        }
        let s = match v.verdict() {
            mayhap::Verdict::Accept { .. } => "accept\t".to_string(),
            mayhap::Verdict::Reject { event, .. } => format!("reject\t{event}"),
            o => format!("{o:?}"),
        };
        if s == format!("{}\t{}", f[2], f[3]) {
            ok += 1
        } else {
            bad += 1;
            println!("{} want {} {} got {s} cands {}", f[1], f[2], f[3], v.counts().candidates_max)
        }
    }
    println!("{ok} ok {bad} bad");
}
