//! probe
#![allow(clippy::print_stdout)]
use kafkars_client::config::ClientConfig;
use kafkars_client::{Client, net::Lane};
use kafkars_protocol::messages::metadata::MetadataRequest;
use std::time::{Duration, Instant};
#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() {
    let servers = std::env::args().nth(1).unwrap();
    let config = ClientConfig {
        bootstrap_servers: servers.split(',').map(str::to_owned).collect(),
        ..ClientConfig::default()
    };
    let t = Instant::now();
    let client = Client::connect(config.check().unwrap()).await.unwrap();
    println!(
        "connect {:?} {:?}",
        t.elapsed(),
        client
            .cluster()
            .brokers()
            .map(|b| b.port)
            .collect::<Vec<_>>()
    );
    let t = Instant::now();
    let name = format!("probe-{}", std::process::id());
    let topic = client
        .topic(&name, t + Duration::from_secs(10))
        .await
        .unwrap();
    println!("topic {:?} {:?}", t.elapsed(), topic);
    let node = topic.leader(0).unwrap().node;
    let connection = client
        .connection(node, Lane::Data, t + Duration::from_secs(10))
        .await
        .unwrap();
    println!(
        "tv {} fetch {:?}",
        connection.versions().feature("transaction.version"),
        connection.versions().range(kafkars_protocol::ApiKey::Fetch)
    );
    for n in [1usize, 32] {
        let t = Instant::now();
        let total = 20_000;
        let mut set = tokio::task::JoinSet::new();
        for _ in 0..n {
            let connection = connection.clone();
            set.spawn(async move {
                for _ in 0..total / n {
                    let request = MetadataRequest {
                        topics: Some(vec![]),
                        ..Default::default()
                    };
                    connection
                        .start(&request, Instant::now() + Duration::from_secs(10))
                        .unwrap()
                        .await
                        .unwrap();
                }
            });
        }
        while let Some(r) = set.join_next().await {
            r.unwrap()
        }
        println!("{n} at a time: {:?} a request", t.elapsed() / total as u32);
    }
    println!(
        "{:?}",
        client
            .topics(Instant::now() + Duration::from_secs(5))
            .await
            .map(|t| t.len())
    );
    println!("{:?}", client.metrics());
    client.close().await;
}
