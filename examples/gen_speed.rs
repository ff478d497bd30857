use mayhap::choice::Random;
use mayhap::generate::{GenerateSettings, Generator};
use mayhap::server::{Ranges, Reply, Server};
use mayhap::value::Value;
fn main() {
    for name in ["memcached", "redis_strings", "kv_etag", "sessions", "bank", "documents"] {
        let spec = mayhap::Spec::from_text(&std::fs::read_to_string(format!("specs/{name}.may")).unwrap()).unwrap();
        let mut choices = Random::new(1);
        for clients in [1, 8] {
            let mut generator = Generator::new(&spec, GenerateSettings { clients, depth: 1 });
            let (mut time, mut count, mut waves, mut served) = (0.0, 0, 0, 0.0);
            for _ in 0..100 {
                let mut server = Server::new(spec.clone(), Ranges::default(), &mut choices).unwrap();
                generator.begin_run(&mut choices).unwrap();
                let mut n = 0;
                while n < 100 {
                    let state: Vec<Value> = server.state().to_vec();
                    let t = std::time::Instant::now();
                    let plan = generator.wave(&[&state], 2 * n + 1, &mut choices).unwrap();
                    time += t.elapsed().as_secs_f64();
                    waves += 1;
                    for ask in plan.asks {
                        n += 1;
                        count += 1;
                        let t = std::time::Instant::now();
                        generator.sent(ask.label, ask.client, &ask.request.value);
                        time += t.elapsed().as_secs_f64();
                        let t = std::time::Instant::now();
                        let r = server.handle(&ask.request.value, ask.client, &mut choices).unwrap();
                        served += t.elapsed().as_secs_f64();
                        if let Reply::Answer(a) = r {
                            let t = std::time::Instant::now();
                            generator.answered(ask.label, ask.client, &a);
                            time += t.elapsed().as_secs_f64();
                        }
                    }
                }
            }
            println!(
                "{name} {clients}: {:.2} µs a request, {count} requests, {waves} waves; serving {:.2}",
                time * 1e6 / count as f64,
                served * 1e6 / count as f64
            );
        }
    }
}
